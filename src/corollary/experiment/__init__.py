"""How good is a method: data sets, metrics and the simulation of whole labelling runs."""
