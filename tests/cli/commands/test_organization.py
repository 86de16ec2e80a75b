"""`callscope organization`: name and logo by command, with clear refusals."""

import pytest
from PIL import Image

from callscope.accounts import organization


@pytest.fixture
def logo(tmp_path):
    path = tmp_path / "logo.png"
    Image.new("RGBA", (50, 20), "#204080").save(path)
    return path


class TestOrganization:
    def test_is_set_shown_and_removed(self, callscope, project, logo):
        assert callscope.json("organization", "show") == {"name": "", "has_logo": False}

        assert callscope.json("organization", "set", "--name", "Copper Lane", "--logo", logo) == {
            "name": "Copper Lane",
            "has_logo": True,
        }
        assert organization.read_logo()
        assert callscope.json("organization", "set", "--no-logo") == {
            "name": "Copper Lane",
            "has_logo": False,
        }

    def test_changes_nothing_where_the_logo_is_wrong(self, callscope, project, tmp_path):
        drawing = tmp_path / "logo.svg"
        drawing.write_text("<svg/>")

        result = callscope("organization", "set", "--name", "X", "--logo", drawing)

        assert result.exit_code == 1
        assert "The logo is not a readable PNG or JPEG file." in result.stderr
        assert organization.read_shown() == organization.NOTHING

    @pytest.mark.parametrize(
        ("options", "said", "status"),
        [
            ((), "There is nothing to set: give --name, --logo or --no-logo.", 2),
            (("--logo", "nowhere.png"), "nowhere.png cannot be read: No such file or directory.", 1),
            (("--logo", "nowhere.png", "--no-logo"), "--logo and --no-logo cannot be combined.", 2),
            (("--name", "a" * 81), "at most 80 characters, not 81", 1),
        ],
    )
    def test_refuses_what_it_cannot_do(self, callscope, project, options, said, status):
        result = callscope("organization", "set", *options)

        assert result.exit_code == status
        assert said in result.stderr
