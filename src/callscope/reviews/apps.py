from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "callscope.reviews"
    label = "reviews"
