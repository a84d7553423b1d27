"""The labels of a campaign: how answers of before are read under the ontology in force."""
