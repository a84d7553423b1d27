"""The labels of a campaign: how earlier answers are read under the ontology in force."""
