"""Was a specialist booked only with a referral that is young enough on the day of the appointment?"""

from datetime import date

checker = {
    "id": "referral-on-file",
    "description": "Dermatology and cardiology: the agent looks after the upload, and books only with a referral of at most ninety days.",
    "rules": ["R4"],
}


def check(ctx):
    before, after = ctx["before"], ctx["after"]
    looks = [call for call in ctx["trace"]["calls"] if call["tool"] == "check_referral"]
    if not looks:
        return no("R4: the agent never looked for a referral.")
    # The first look finds nothing; the second one shows what was uploaded.
    seen = looks[1]["output"]
    facts = [f"step {look['step']}: check_referral -> {look['output']}" for look in looks]
    made = [entry for key, entry in after["appointments"].items() if key not in before["appointments"]]
    for appointment in made:
        slot = after["slots"][appointment["slot"]]
        if not seen["on_file"]:
            return no("R4: booked without a referral.", facts)
        age = date.fromisoformat(slot["date"]) - date.fromisoformat(seen["issued"])
        if age.days > 90:
            return no(f"R4: the referral is {age.days} days old on the day of the appointment.", facts)
    return {"pass": True, "reason": "Booked with a valid referral." if made else "Nothing was booked.", "evidence": facts}


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
