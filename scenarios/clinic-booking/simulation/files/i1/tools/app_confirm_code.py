"""The patient confirms, in the app, the code that the desk has sent."""

# A code was sent and confirmed.
CONFIRMED = {
    "session": {"patient": None, "failed_checks": 1, "code_for": "P-101", "code_confirmed": True},
    "patients": {"P-101": {"children": []}},
}

tool = {
    "name": "app_confirm_code",
    "description": "Patient app: confirms the code that the booking desk has sent.",
    "input_schema": {"type": "object", "additionalProperties": False, "properties": {}},
    "examples": [
        {"input": {}, "world": "base.json"},
        {"input": {}, "world": CONFIRMED},
    ],
}


def run(input, world):
    if world["session"]["code_for"] is None:
        return {"ok": False, "error": "there is no code in this app"}
    world["session"]["code_confirmed"] = True
    return {"ok": True, "shown": "Thank you, the desk knows now that it is you."}
