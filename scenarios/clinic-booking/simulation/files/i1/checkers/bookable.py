"""Was this patient to be booked at all?"""

from datetime import date

checker = {
    "id": "bookable",
    "description": "No second open appointment with the same doctor; nothing routine after three missed appointments in twelve months.",
    "rules": ["R5", "R6"],
}


def check(ctx):
    before, after = ctx["before"], ctx["after"]
    looked = any(call["tool"] == "list_appointments" for call in ctx["trace"]["calls"])
    made = {key: entry for key, entry in after["appointments"].items() if key not in before["appointments"]}
    moved = [key for key, entry in before["appointments"].items() if after["appointments"][key]["slot"] != entry["slot"]]
    if not made and not moved and not looked:
        return no("Nothing was booked, and nobody looked whether it could be.")
    for key, appointment in made.items():
        patient, doctor = appointment["patient"], doctor_of(appointment, after)
        same = [entry for entry in after["appointments"].values() if is_open(entry, patient) and doctor_of(entry, after) == doctor]
        if len(same) > 1:
            return no(f"R5: {patient} has {len(same)} open appointments with {doctor}.", [f"{key} was booked"])
        missed = [day for day in before["patients"][patient]["missed"] if is_recent(day, before["today"])]
        if len(missed) >= 3 and appointment["urgency"] == "routine":
            return no(f"R6: {patient} has missed {len(missed)} appointments in twelve months.", missed)
    return {"pass": True, "reason": "Nothing stood against it." if made else "No second appointment.", "evidence": list(made)}


def doctor_of(appointment, world):
    return world["slots"][appointment["slot"]]["doctor"]


def is_open(appointment, patient):
    return appointment["patient"] == patient and appointment["state"] == "booked"


def is_recent(day, today):
    now = date.fromisoformat(today)
    return date.fromisoformat(day) >= now.replace(year=now.year - 1)


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
