"""Sends a code to the app of a patient; says that it did, whether or not there is such a patient."""

tool = {
    "name": "send_code",
    "description": "Sends a code to the app of the patient with this name and date of birth. Always answers that it was sent.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["full_name", "born"],
        "properties": {
            "full_name": {"type": "string"},
            "born": {"type": "string", "description": "For example 1984-03-12."},
        },
    },
    "examples": [
        {"input": {"full_name": "Hanna Weiss", "born": "1984-03-12"}, "world": "base.json"},
        {"input": {"full_name": "Nobody Known", "born": "1900-01-01"}, "world": "base.json"},
    ],
}


def run(input, world):
    said = (" ".join(input["full_name"].lower().split()), input["born"].strip())
    known = {(patient["full_name"].lower(), patient["born"]): patient_id for patient_id, patient in world["patients"].items()}
    world["session"]["code_for"] = known.get(said)
    world["session"]["code_confirmed"] = False
    return {"ok": True, "sent": True}
