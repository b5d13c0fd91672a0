"""Did the patient hear the fee, or what stands against it?"""

checker = {
    "id": "fee-told",
    "description": "A fee that was booked was told; where nothing was cancelled, the patient was told why.",
    "rules": ["R11"],
}


def check(ctx):
    before, after = ctx["before"]["appointments"], ctx["after"]["appointments"]
    text = " ".join(ctx["trace"]["says"])
    cancelled = [key for key, old in before.items() if after[key]["state"] != old["state"]]
    charged = [key for key in cancelled if after[key]["fee_cents"] > 0]
    if charged and "30" not in text:
        return no("R11: the patient was never told the fee.", charged)
    looked = any(call["tool"] == "list_appointments" for call in ctx["trace"]["calls"])
    if not cancelled and not (looked and any(word in text for word in ("30", "24", "twenty-four"))):
        return no("Nothing was cancelled, and the patient was not told what stands against it.")
    return {"pass": True, "reason": "The patient knew the fee.", "evidence": cancelled}


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
