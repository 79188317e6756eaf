"""A column that the file spells in another way."""

# fault: missing-key
# cause: code-error

def label(row):
    return row["Label"]


rows = [{"id": 1, "text": "a", "label": 0}, {"id": 2, "text": "b", "label": 1}]
print([label(row) for row in rows])
