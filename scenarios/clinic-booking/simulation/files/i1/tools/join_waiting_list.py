"""Puts a patient on the waiting list of a doctor, with today's date."""

tool = {
    "name": "join_waiting_list",
    "description": "Puts a patient on the waiting list of a doctor.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["patient_id", "doctor_id"],
        "properties": {"patient_id": {"type": "string"}, "doctor_id": {"type": "string", "description": "For example D-21."}},
    },
    "examples": [
        {"input": {"patient_id": "P-101", "doctor_id": "D-21"}, "world": "base.json"},
        {"input": {"patient_id": "P-105", "doctor_id": "D-21"}, "world": "base.json"},
    ],
}


def run(input, world):
    patient_id, doctor_id = input["patient_id"].strip().upper(), input["doctor_id"].strip().upper()
    if patient_id not in world["patients"]:
        return {"ok": False, "error": f"there is no patient {patient_id}"}
    if doctor_id not in world["doctors"]:
        return {"ok": False, "error": f"there is no doctor {doctor_id}"}
    if any((entry["patient"], entry["doctor"]) == (patient_id, doctor_id) for entry in world["waiting_list"]):
        return {"ok": False, "error": "the patient is on this list already"}
    world["waiting_list"].append({"patient": patient_id, "doctor": doctor_id, "since": world["today"]})
    return {"ok": True, "since": world["today"]}
