"""The routes of the API, by subject; who may call which is in `security.ACCESS`."""
