"""Does a question point back to what was shown before? By its words, in four languages."""

from __future__ import annotations

import re
from typing import Final

#: Words that point back to what was shown. "Each" does only where no noun follows: "of each should I order".
_BACK: Final = re.compile(
    r"\b(?:those|these|them|they|their|theirs|the same|that one)\b"
    r"|\b(?:of|for)\s+each\b(?=\s+(?:should|do|does|did|are|is|were|was|must|can|will|would|have|has|to)\b|\s*[?.!]|\s*$)"
    r"|\beach\s+of\b|\b(?:davon|denen|dieser|diesen|diese)\b|\b(?:estos|estas|esos|esas|ellos|ellas)\b"
    r"|\b(?:ceux|celles|ces|eux|leur|leurs)\b",
    re.IGNORECASE,
)


#: Beginnings of a question that has no sense without the one before.
_ELLIPTIC: Final = re.compile(
    r"^\s*(?:and|but|only|just|now|also|then|what about|how about|same|instead|by|per|sort|order them|in percent"
    r"|und|aber|nur|jetzt|auch|y|pero|solo|sólo|ahora|et|mais|seulement|maintenant)\b",
    re.IGNORECASE,
)


def goes_on(question: str) -> bool:
    """Say whether `question` goes on from the last one: it points back, or has no sense alone."""
    return bool(_BACK.search(question) or _ELLIPTIC.search(question))


def refers_back(question: str) -> bool:
    """Say whether `question` points to what was shown before."""
    return bool(_BACK.search(question))
