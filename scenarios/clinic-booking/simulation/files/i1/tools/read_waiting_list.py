"""Who waits for a doctor, the longest first."""

tool = {
    "name": "read_waiting_list",
    "description": "Lists the patients who wait for a doctor, the one who has waited longest first.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["doctor_id"],
        "properties": {"doctor_id": {"type": "string", "description": "For example D-21."}},
    },
    "examples": [
        {"input": {"doctor_id": "D-21"}, "world": "base.json"},
        {"input": {"doctor_id": "D-11"}, "world": "base.json"},
    ],
}


def run(input, world):
    doctor_id = input["doctor_id"].strip().upper()
    entries = world["waiting_list"]
    entries.sort(key=lambda entry: entry["since"])
    waiting = [entry for entry in entries if entry["doctor"] == doctor_id]
    return {"ok": True, "waiting": [{"patient_id": entry["patient"], "since": entry["since"]} for entry in waiting]}
