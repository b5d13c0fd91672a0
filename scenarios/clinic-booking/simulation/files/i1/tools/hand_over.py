"""Hands the patient over to a colleague, with the reason."""

tool = {
    "name": "hand_over",
    "description": "Hands the patient over to the nurse or to reception, who go on from here.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["to", "reason"],
        "properties": {
            "to": {"type": "string", "enum": ["nurse", "reception"]},
            "reason": {"type": "string", "enum": ["emergency", "missed_appointments", "other"]},
        },
    },
    "examples": [
        {"input": {"to": "nurse", "reason": "emergency"}, "world": "base.json"},
        {"input": {"to": "reception", "reason": "other"}, "world": {"session": {"patient": "P-101"}, "handovers": []}},
    ],
}


def run(input, world):
    world["handovers"].append({"to": input["to"], "reason": input["reason"], "patient": world["session"]["patient"]})
    return {"ok": True, "taken_by": input["to"]}
