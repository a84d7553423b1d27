"""Settings, a pause for everybody, and training."""

from __future__ import annotations

from fastapi import APIRouter

from ...campaign.settings import described
from .. import schemas
from ..context import Person, Served

router = APIRouter(prefix="/api", tags=["settings"])


@router.get("/settings")
def settings(campaign: Served) -> schemas.SettingsOut:
    """Return the settings in force."""
    return schemas.SettingsOut(campaign.settings.model_dump())


@router.get("/settings/about")
def about(campaign: Served) -> list[schemas.SettingOut]:
    """Return every setting with its description, default, value, and the effect of a change."""
    return [schemas.SettingOut(**one) for one in described(campaign.settings)]


@router.patch("/settings")
def change(wanted: schemas.SettingsChange, campaign: Served, person: Person) -> schemas.SettingsOut:
    """Change some settings, all or none."""
    return schemas.SettingsOut(
        campaign.change_settings(person.name, wanted.changes, key=wanted.key).model_dump()
    )


@router.post("/pause")
def pause(wanted: schemas.PauseWanted, campaign: Served, person: Person) -> schemas.Paused:
    """Pause everybody, or go on; answers that are on their way still count."""
    (campaign.pause if wanted.paused else campaign.resume)(who=person.name)
    return schemas.Paused(paused=wanted.paused)


@router.post("/train", status_code=202)
def train(campaign: Served) -> schemas.Training:
    """Start training a model on all labels known now."""
    return schemas.Training.model_validate(campaign.retrain())
