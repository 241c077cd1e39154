"""Speed of the sentence encoders, from text in to vectors out."""
