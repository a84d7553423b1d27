"""Passwords: hash them, and check them."""

from __future__ import annotations


def hash_password(password: str) -> str:
    """Return the hash of a password, to be stored."""
    from argon2 import PasswordHasher

    return PasswordHasher().hash(password)


def verify(password_hash: str | None, password: str) -> bool:
    """Whether a password is right; it takes the same time if there is none."""
    from argon2 import PasswordHasher
    from argon2.exceptions import VerificationError

    try:
        return (
            PasswordHasher().verify(password_hash or NOBODYS, password)
            and password_hash is not None
        )
    except VerificationError:
        return False


#: The hash of a password that nobody has.
NOBODYS = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$0000000000000000000000000000000000000000000"
