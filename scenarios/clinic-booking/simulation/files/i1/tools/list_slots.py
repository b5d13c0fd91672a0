"""The free slots of a specialty, the earliest first."""

SPECIALTIES = ["general_practice", "dermatology", "cardiology", "physiotherapy"]

tool = {
    "name": "list_slots",
    "description": (
        "Lists the free slots of a specialty between two days, the earliest first: doctor, day, time, kind (regular or urgent), and"
        " whether the slot was freed by somebody else."
    ),
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["specialty", "from_date", "to_date"],
        "properties": {
            "specialty": {"type": "string", "enum": SPECIALTIES},
            "from_date": {"type": "string", "description": "First day, for example 2026-04-14."},
            "to_date": {"type": "string", "description": "Last day, included."},
        },
    },
    "examples": [
        {"input": {"specialty": "general_practice", "from_date": "2026-04-14", "to_date": "2026-04-21"}, "world": "base.json"},
        {"input": {"specialty": "cardiology", "from_date": "2026-04-14", "to_date": "2026-04-14"}, "world": "base.json"},
    ],
}


def run(input, world):
    found = [
        shown(slot_id, slot, world)
        for slot_id, slot in world["slots"].items()
        if slot["state"] == "free"
        and world["doctors"][slot["doctor"]]["specialty"] == input["specialty"]
        and input["from_date"] <= slot["date"] <= input["to_date"]
        and (slot["date"], slot["time"]) > (world["today"], world["now"])
    ]
    found.sort(key=lambda slot: (slot["date"], slot["time"], slot["slot_id"]))
    return {"ok": True, "today": world["today"], "now": world["now"], "slots": found}


def shown(slot_id, slot, world):
    return {
        "slot_id": slot_id,
        "doctor_id": slot["doctor"],
        "doctor": world["doctors"][slot["doctor"]]["name"],
        "date": slot["date"],
        "time": slot["time"],
        "kind": slot["kind"],
        "freed": slot["freed"],
    }
