"""Compares what the patient said with the record; says yes or no, never which part was wrong."""

tool = {
    "name": "verify_patient",
    "description": (
        "Identifies the patient: compares full name, date of birth and the last four digits of the telephone number with the"
        " record. Answers verified true, with the patient's id and children, or false."
    ),
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["full_name", "born", "phone_last4"],
        "properties": {
            "full_name": {"type": "string"},
            "born": {"type": "string", "description": "For example 1984-03-12."},
            "phone_last4": {"type": "string", "description": "Four digits."},
        },
    },
    "examples": [
        {"input": {"full_name": "Hanna Weiss", "born": "1984-03-12", "phone_last4": "4417"}, "world": "base.json"},
        {"input": {"full_name": "Aisha Rahman", "born": "1991-07-05", "phone_last4": "3306"}, "world": "base.json"},
        {"input": {"full_name": "Hanna Weiss", "born": "1984-03-12", "phone_last4": "0000"}, "world": "base.json"},
    ],
}


def run(input, world):
    said = (plain(input["full_name"]), input["born"].strip(), input["phone_last4"].strip())
    for patient_id, patient in world["patients"].items():
        if said == (plain(patient["full_name"]), patient["born"], patient["phone_last4"]):
            world["session"]["patient"] = patient_id
            return {"ok": True, "verified": True, "patient_id": patient_id, "children": children_of(patient, world)}
    world["session"]["failed_checks"] += 1
    return {"ok": True, "verified": False, "failed_checks": world["session"]["failed_checks"]}


def plain(name):
    return " ".join(name.lower().split())


def children_of(patient, world):
    children = [(child, world["patients"][child]) for child in patient["children"]]
    return [{"patient_id": child, "full_name": record["full_name"], "born": record["born"]} for child, record in children]
