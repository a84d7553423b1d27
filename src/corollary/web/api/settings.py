"""How the campaign goes about its work: settings, a pause for everybody, training."""

from __future__ import annotations

from fastapi import APIRouter

from ...campaign.settings import described
from .. import schemas
from ..context import Person, Served

router = APIRouter(prefix="/api", tags=["settings"])


@router.get("/settings")
def settings(campaign: Served) -> schemas.SettingsOut:
    """The settings in force."""
    return schemas.SettingsOut(campaign.settings.model_dump())


@router.get("/settings/about")
def about(campaign: Served) -> list[schemas.SettingOut]:
    """Every setting with what it does, its default, its value, and what changing it now would mean."""
    return [schemas.SettingOut(**one) for one in described(campaign.settings)]


@router.patch("/settings")
def change(wanted: schemas.SettingsChange, campaign: Served, person: Person) -> schemas.SettingsOut:
    """Change some settings; all of them or, where one cannot be, none."""
    return schemas.SettingsOut(
        campaign.change_settings(person.name, wanted.changes, key=wanted.key).model_dump()
    )


@router.post("/pause")
def pause(wanted: schemas.PauseWanted, campaign: Served, person: Person) -> schemas.Paused:
    """Ask nobody for now, or go on; answers on their way are still taken."""
    (campaign.pause if wanted.paused else campaign.resume)(who=person.name)
    return schemas.Paused(paused=wanted.paused)


@router.post("/train", status_code=202)
def train(campaign: Served) -> schemas.Training:
    """Train a model on all that is known now; nobody waits for it."""
    return schemas.Training.model_validate(campaign.retrain())
