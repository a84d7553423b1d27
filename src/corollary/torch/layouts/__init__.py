"""How the components of a posterior are laid out on a device."""
