"""How the campaign goes about its work: settings, a pause for everybody, training."""

from __future__ import annotations

from fastapi import APIRouter

from .. import models
from ..context import Person, Served

router = APIRouter(prefix="/api", tags=["settings"])


@router.get("/settings")
def settings(campaign: Served) -> models.SettingsOut:
    """The settings in force."""
    return models.SettingsOut(**campaign.settings.as_dict())


@router.patch("/settings")
def change(wanted: models.SettingsChange, campaign: Served, person: Person) -> models.SettingsOut:
    """Change some settings."""
    return models.SettingsOut(**campaign.change_settings(person.name, wanted.changes, key=wanted.key).as_dict())


@router.post("/pause")
def pause(wanted: models.PauseWanted, campaign: Served, person: Person) -> models.Paused:
    """Ask nobody for now, or go on; answers on their way are still taken."""
    (campaign.pause if wanted.paused else campaign.resume)(who=person.name)
    return models.Paused(paused=wanted.paused)


@router.post("/train", status_code=202)
def train(campaign: Served) -> models.Training:
    """Train a model on all that is known now; nobody waits for it."""
    return models.Training.model_validate(campaign.retrain())
