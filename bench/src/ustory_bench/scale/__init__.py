"""How far one machine goes: windows that grow, a million articles, a month of news."""
