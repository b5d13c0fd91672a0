"""The patient uploads a referral in the app; it is on file at once."""

tool = {
    "name": "app_upload_referral",
    "description": "Patient app: uploads a referral for a specialty with its date of issue.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["specialty", "issued"],
        "properties": {
            "specialty": {"type": "string", "enum": ["dermatology", "cardiology"]},
            "issued": {"type": "string", "description": "The date on the paper."},
        },
    },
    "examples": [
        {"input": {"specialty": "cardiology", "issued": "2026-04-09"}, "world": "base.json"},
        {"input": {"specialty": "cardiology", "issued": "2026-04-09"}, "world": {"session": {"patient": "P-101"}, "referrals": []}},
    ],
}


def run(input, world):
    patient_id = world["session"]["patient"]
    if patient_id is None:
        return {"ok": False, "error": "the desk has not asked for anything yet"}
    world["referrals"].append({"patient": patient_id, "specialty": input["specialty"], "issued": input["issued"]})
    return {"ok": True, "shown": "Your referral was received."}
