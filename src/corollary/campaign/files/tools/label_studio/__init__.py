"""Label Studio: tasks, annotations, configs and predictions."""
