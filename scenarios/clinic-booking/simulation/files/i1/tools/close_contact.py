"""Closes the contact: one entry, with the outcome."""

OUTCOMES = ["booked", "moved", "cancelled", "waiting_list", "handed_over", "refused", "not_identified", "informed"]

tool = {
    "name": "close_contact",
    "description": "Writes the closing entry of the contact: the outcome that was reached. The last act of every contact.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["outcome"],
        "properties": {"outcome": {"type": "string", "enum": OUTCOMES}},
    },
    "examples": [
        {"input": {"outcome": "informed"}, "world": "base.json"},
        {"input": {"outcome": "booked"}, "world": {"session": {"patient": "P-101"}, "closings": []}},
    ],
}


def run(input, world):
    world["closings"].append({"outcome": input["outcome"], "patient": world["session"]["patient"]})
    return {"ok": True, "entries": len(world["closings"])}
