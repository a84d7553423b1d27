"""Files of predictions, imported as reports of a witness and never as facts."""
