"""A campaign as a machine learning backend of Label Studio."""
