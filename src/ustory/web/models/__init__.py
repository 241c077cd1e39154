"""The shapes of what goes in and out, as the OpenAPI document tells them."""
