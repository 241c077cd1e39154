"""Systems side by side on labelled streams: runs, scores, tuning, the gate."""
