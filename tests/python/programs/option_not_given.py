"""An option of the configuration that nobody gave."""

# fault: value-none
# cause: shape-or-parameter

class Config:
    def __init__(self, learning_rate=None, batch_size=8):
        self.learning_rate = learning_rate
        self.batch_size = batch_size


def scaled(config, ranks):
    return config.learning_rate * ranks


scaled(Config(batch_size=16), 4)
