"""Random clusters and claims, given to fedra and to the real thing."""
