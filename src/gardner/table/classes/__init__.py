"""Tables with three classes or more: a field a class, the label is the class of the largest."""
