"""Passwords: a hash that tells the right one, and nobody's where there is none."""

from __future__ import annotations

from corollary.web.access.passwords import hash_password, verify


def test_only_the_right_password_is_right():
    kept = hash_password("a long password")
    assert "a long password" not in kept
    assert verify(kept, "a long password")
    assert not verify(kept, "another password")
    assert not verify(None, "a long password")
