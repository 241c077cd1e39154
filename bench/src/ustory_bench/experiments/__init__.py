"""The paper's tables and figures, each a named experiment, on any labelled stream."""
