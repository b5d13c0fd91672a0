"""Did the urgent complaint get the earliest free slot of the specialty?"""

checker = {
    "id": "urgent-first",
    "description": "An urgent appointment is in the earliest slot of the specialty that was free at the beginning, of whichever kind.",
    "rules": ["R8"],
}


def check(ctx):
    before, after = ctx["before"], ctx["after"]
    made = [entry for key, entry in after["appointments"].items() if key not in before["appointments"]]
    urgent = [entry for entry in made if entry["urgency"] == "urgent"]
    if not urgent:
        return no("R8: nothing was booked as urgent.")
    facts = []
    for entry in urgent:
        booked, specialty = entry["slot"], specialty_of(entry["slot"], before)
        free = [key for key, slot in before["slots"].items() if slot["state"] == "free" and specialty_of(key, before) == specialty]
        # Two slots may begin at the same time: then either of them is the earliest.
        earliest = min(said(before, key) for key in free)
        facts = [f"booked {booked}, {said(before, booked)}; the earliest free slot was at {earliest}"]
        if said(before, booked) != earliest:
            return no("R8: an earlier slot was free.", facts)
    return {"pass": True, "reason": "It was the earliest free slot.", "evidence": facts}


def specialty_of(slot_id, world):
    return world["doctors"][world["slots"][slot_id]["doctor"]]["specialty"]


def when(slot):
    return (slot["date"], slot["time"])


def said(world, slot_id):
    return " ".join(when(world["slots"][slot_id]))


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
