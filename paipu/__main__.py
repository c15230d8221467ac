"""`python -m paipu`: the same as the `paipu` command."""

from paipu.cli.main import main

if __name__ == "__main__":
    main()
