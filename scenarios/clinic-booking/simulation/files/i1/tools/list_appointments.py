"""What a patient has with the practice: appointments, places on waiting lists, offers, missed appointments."""

tool = {
    "name": "list_appointments",
    "description": "Reads a patient's open appointments, places on waiting lists, offers, and the days of missed appointments.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["patient_id"],
        "properties": {"patient_id": {"type": "string", "description": "As verify_patient shows it. For example P-101."}},
    },
    "examples": [
        {"input": {"patient_id": "P-105"}, "world": "base.json"},
        {"input": {"patient_id": "P-000"}, "world": "base.json"},
    ],
}


def run(input, world):
    patient_id = input["patient_id"].strip().upper()
    if patient_id not in world["patients"]:
        return {"ok": False, "error": f"there is no patient {patient_id}"}
    booked = {
        appointment_id: appointment
        for appointment_id, appointment in world["appointments"].items()
        if appointment["patient"] == patient_id and appointment["state"] == "booked"
    }
    waiting = [entry for entry in world["waiting_list"] if entry["patient"] == patient_id]
    offers = [entry for entry in world["offers"] if entry["patient"] == patient_id]
    return {
        "ok": True,
        "today": world["today"],
        "now": world["now"],
        "appointments": [shown(appointment_id, entry, world) for appointment_id, entry in booked.items()],
        "waiting": [{"doctor": entry["doctor"], "since": entry["since"]} for entry in waiting],
        "offers": [offer_of(entry, world) for entry in offers],
        "missed": world["patients"][patient_id]["missed"],
    }


def shown(appointment_id, appointment, world):
    slot = world["slots"][appointment["slot"]]
    doctor = world["doctors"][slot["doctor"]]["name"]
    return {"appointment_id": appointment_id, "doctor_id": slot["doctor"], "doctor": doctor, "date": slot["date"], "time": slot["time"]}


def offer_of(offer, world):
    slot = world["slots"][offer["slot"]]
    doctor = world["doctors"][slot["doctor"]]["name"]
    return {"slot_id": offer["slot"], "doctor": doctor, "date": slot["date"], "time": slot["time"], "state": offer["state"]}
