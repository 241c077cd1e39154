"""The live service's loop: articles come in, slides are told, nothing is lost."""
