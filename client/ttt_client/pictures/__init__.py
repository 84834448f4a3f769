"""Pictures of a game: shapes on a plane (`diagram`), written as SVG (`svg`) or as GIF (`gif`)."""
