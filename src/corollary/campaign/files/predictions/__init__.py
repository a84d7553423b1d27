"""Files of what machines say of items: predictions, to be taken as a witness's reports and never as facts."""
