"""The newest referral of a patient for a specialty, and how old it is today."""

from datetime import date

tool = {
    "name": "check_referral",
    "description": "Says whether a referral for the specialty is on file, when the newest one was issued, and how many days ago that is.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["patient_id", "specialty"],
        "properties": {
            "patient_id": {"type": "string"},
            "specialty": {"type": "string", "enum": ["dermatology", "cardiology"]},
        },
    },
    "examples": [
        {"input": {"patient_id": "P-105", "specialty": "dermatology"}, "world": "base.json"},
        {"input": {"patient_id": "P-101", "specialty": "cardiology"}, "world": "base.json"},
    ],
}


def run(input, world):
    patient_id = input["patient_id"].strip().upper()
    issued = [
        referral["issued"]
        for referral in world["referrals"]
        if referral["patient"] == patient_id and referral["specialty"] == input["specialty"]
    ]
    if not issued:
        return {"ok": True, "on_file": False}
    newest = max(issued)
    age = date.fromisoformat(world["today"]) - date.fromisoformat(newest)
    return {"ok": True, "on_file": True, "issued": newest, "days_old": age.days}
