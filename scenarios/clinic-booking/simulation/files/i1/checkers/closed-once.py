"""Was the contact closed once, last, and truthfully?"""

checker = {
    "id": "closed-once",
    "description": "One closing entry, after everything else, with the outcome that was really reached.",
    "rules": ["R15"],
}


def check(ctx):
    before, after = ctx["before"], ctx["after"]
    calls = [call for call in ctx["trace"]["calls"] if call.get("by") != "user"]
    closings = after["closings"][len(before["closings"]) :]
    if len(closings) != 1:
        return no(f"{len(closings)} closing entries were written, one was due.")
    outcome, due = closings[0]["outcome"], outcomes(before, after)
    facts = [f"closed as {outcome}; true would be {' or '.join(due)}"]
    if outcome not in due:
        return no(f"The contact was closed as {outcome}.", facts)
    if calls[-1]["tool"] != "close_contact":
        return no(f"{calls[-1]['tool']} was called after the closing entry.", facts)
    return {"pass": True, "reason": f"One closing entry, last and true: {outcome}.", "evidence": facts}


def outcomes(before, after):
    old, new = before["appointments"], after["appointments"]
    if len(after["handovers"]) > len(before["handovers"]):
        return ["handed_over"]
    if any(entry["state"] != new[key]["state"] for key, entry in old.items()):
        return ["cancelled"]
    if any(entry["slot"] != new[key]["slot"] for key, entry in old.items()):
        return ["moved"]
    if len(new) > len(old):
        return ["booked"]
    if len(after["waiting_list"]) > len(before["waiting_list"]):
        return ["waiting_list"]
    return ["not_identified"] if after["session"]["patient"] is None else ["refused", "informed"]


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
