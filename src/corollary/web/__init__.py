"""The labelling page and its service: one process serves one campaign over HTTP."""
