"""Commands about what people say of calls.

- review.py: `callscope review`.
- evaluate.py: `callscope evaluate`.
"""
