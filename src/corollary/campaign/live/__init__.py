"""A campaign at work: who is asked what (leases), what people say, log and memory in step."""
