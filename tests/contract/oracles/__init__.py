"""Second answers to the same questions, computed from plain values without any code of the product.

- `report`: every figure of the report over a world of calls
- `call_list`: the rows of the call list, its filters and its order
"""
