"""Speed, measured: tables per step, growth laws and memory."""
