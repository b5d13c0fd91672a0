"""Says whether the code was confirmed in the app; if so, the patient is identified."""

# A code was sent and confirmed.
CONFIRMED = {
    "session": {"patient": None, "failed_checks": 1, "code_for": "P-101", "code_confirmed": True},
    "patients": {"P-101": {"children": []}},
}

tool = {
    "name": "check_code",
    "description": "Says whether the code that was sent has been confirmed in the app. If it has, the patient is identified.",
    "input_schema": {"type": "object", "additionalProperties": False, "properties": {}},
    "examples": [
        {"input": {}, "world": "base.json"},
        {"input": {}, "world": CONFIRMED},
    ],
}


def run(input, world):
    session = world["session"]
    if session["code_for"] is None or not session["code_confirmed"]:
        return {"ok": True, "confirmed": False}
    session["patient"] = session["code_for"]
    patient = world["patients"][session["code_for"]]
    return {"ok": True, "confirmed": True, "patient_id": session["code_for"], "children": patient["children"]}
